"""What is bundled with Post Road, of the environment that runs this: `bill.py licences` or `bill.py cyclonedx`."""

import json
import sys
from importlib.metadata import Distribution, distributions

OWN = "postroad"


def bundled() -> list[Distribution]:
    """Return all that is installed, by name; what installs it aside."""
    found = {one.metadata["Name"].lower(): one for one in distributions()}
    return [one for name, one in sorted(found.items()) if name not in ("pip", "setuptools", "wheel")]


def licence(one: Distribution) -> str:
    """Return what a distribution says of its licence."""
    named = [line.rpartition(":: ")[2] for line in one.metadata.get_all("Classifier", []) if line.startswith("License")]
    return one.metadata["License-Expression"] or ", ".join(named) or (one.metadata["License"] or "see its text")[:80]


def texts(one: Distribution) -> list[str]:
    """Return the texts of its licences."""
    wanted = ("licen", "copying", "notice", "ofl")
    files = [file for file in one.files or () if any(word in file.name.lower() for word in wanted)]
    files = [file for file in files if file.suffix.lower() in ("", ".txt", ".md", ".rst", ".apache", ".bsd")]
    return [file.locate().read_text(encoding="utf-8", errors="replace") for file in sorted(files, key=str)]


def licences() -> str:
    """Return the licences of all, ours first."""
    found = sorted(bundled(), key=lambda one: one.metadata["Name"].lower() != OWN)
    parts = [f"{one.metadata['Name']} {one.version}: {licence(one)}\n\n" + "\n".join(texts(one)) for one in found]
    return f"\n{'-' * 80}\n".join(parts)


def cyclonedx() -> str:
    """Return the bill of materials (CycloneDX 1.5)."""
    parts = [
        {
            "type": "library",
            "name": one.metadata["Name"],
            "version": one.version,
            "purl": f"pkg:pypi/{one.metadata['Name'].lower()}@{one.version}",
            "licenses": [{"license": {"name": licence(one)}}],
        }
        for one in bundled()
    ]
    own = [part for part in parts if part["name"] == OWN]
    said = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1}
    said |= {"metadata": {"component": {**own[0], "type": "application"}}} if own else {}
    return json.dumps(said | {"components": [part for part in parts if part["name"] != OWN]}, indent=1)


if __name__ == "__main__":
    print({"licences": licences, "cyclonedx": cyclonedx}[sys.argv[1]]())
