"""What a process counts of itself, for `/metrics`."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Histogram

HERE = CollectorRegistry()
JOBS = Histogram(
    "postroad_job_seconds",
    "Runs of the jobs of this process's timetable; one with nothing to do counts, too.",
    ["job"],
    buckets=(0.01, 0.1, 0.5, 1, 5, 15, 60, 300),
    registry=HERE,
)
