"""How mail programs put the quoted mail below the answer, in four languages and a few more.

A style takes the written answer, our mail (its text and its HTML) and our address, and returns what the program sends:
its text part, its HTML part, or both.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from html import escape

LANGUAGES = ("en", "fr", "es", "it")


@dataclass(frozen=True)
class Quoted:
    """Our mail as a program sees it."""

    text: str
    html: str
    address: str
    lang: str

    def said(self, **words: str) -> str:
        """Return the words of the program's language, with our name and address."""
        return words[self.lang].format(us=f"Post Road <{self.address}>", address=self.address)

    @property
    def marked(self) -> str:
        return "".join(f"> {line}\n" for line in self.text.splitlines())


Parts = tuple[str, str]
Style = Callable[[str, Quoted], Parts]

_WROTE = {
    "en": "On Sat, Nov 21, 2026 at 8:00 PM {us} wrote:",
    "fr": "Le sam. 21 nov. 2026 à 20:00, {us} a écrit :",
    "es": "El sáb, 21 nov 2026 a las 20:00, {us} escribió:",
    "it": "Il giorno sab 21 nov 2026 alle ore 20:00 {us} ha scritto:",
}
_NAMED = {
    "en": "On 21/11/2026 20:00, Post Road wrote:",
    "fr": "Le 21/11/2026 à 20:00, Post Road a écrit :",
    "es": "El 21/11/2026 a las 20:00, Post Road escribió:",
    "it": "Il 21/11/2026 20:00, Post Road ha scritto:",
}
_PHONE = {
    "en": "Sent from my iPhone", "fr": "Envoyé de mon iPhone",
    "es": "Enviado desde mi iPhone", "it": "Inviato da iPhone",
}  # fmt: skip
_OUTLOOK = {
    "en": "From: {us}\nSent: Saturday, November 21, 2026 8:00 PM\nTo: alice@example.org\nSubject: Your turn\n",
    "fr": "De : {us}\nEnvoyé : samedi 21 novembre 2026 20:00\nÀ : alice@example.org\nObjet : À toi\n",
    "es": "De: {us}\nEnviado el: sábado, 21 de noviembre de 2026 20:00\nPara: alice@example.org\nAsunto: Tu turno\n",
    "it": "Da: {us}\nInviato: sabato 21 novembre 2026 20:00\nA: alice@example.org\nOggetto: Tocca a te\n",
}
_ORIGINAL = {
    "en": "-----Original Message-----", "fr": "-----Message d’origine-----",
    "es": "-----Mensaje original-----", "it": "-----Messaggio originale-----",
}  # fmt: skip
_APP = {
    "en": "Get Outlook for iOS<https://aka.ms/o0ukef>", "fr": "Obtenez Outlook pour iOS<https://aka.ms/o0ukef>",
    "es": "Obtener Outlook para iOS<https://aka.ms/o0ukef>", "it": "Ottieni Outlook per iOS<https://aka.ms/o0ukef>",
}  # fmt: skip


def _as_html(said: str) -> str:
    return "".join(f"<div>{escape(line) or '<br>'}</div>" for line in said.split("\n"))


def gmail(said: str, ours: Quoted) -> Parts:
    attribution = ours.said(**_WROTE)
    text = f"{said}\n\n" + "\n".join(textwrap.wrap(attribution, 76)) + f"\n\n{ours.marked}"
    quote = f'<div class="gmail_attr">{escape(attribution)}<br></div><blockquote>{ours.html}</blockquote>'
    return (
        text,
        f'<div dir="ltr">{_as_html(said)}</div><br><div class="gmail_quote gmail_quote_container">{quote}</div>',
    )


def gmail_html(said: str, ours: Quoted) -> Parts:
    return "", gmail(said, ours)[1]


def apple_mail(said: str, ours: Quoted) -> Parts:
    return f"{said}\n\n> {ours.said(**_WROTE)}\n> \n{ours.marked}", ""


def iphone(said: str, ours: Quoted) -> Parts:
    return f"{said}\n\n{_PHONE[ours.lang]}\n\n> {ours.said(**_WROTE)}\n> \n{ours.marked}", ""


def outlook(said: str, ours: Quoted) -> Parts:
    return f"{said}\n\n{ours.said(**_OUTLOOK)}\n{ours.text}", ""


def outlook_of_old(said: str, ours: Quoted) -> Parts:
    return (
        f"{said}\n\n{_ORIGINAL[ours.lang]}\n{ours.said(**_OUTLOOK).replace(f' <{ours.address}>', '')}\n{ours.text}",
        "",
    )


def outlook_html(said: str, ours: Quoted) -> Parts:
    head = escape(ours.said(**_OUTLOOK)).replace("\n", "<br>")
    shown = f'<div class="WordSection1">{_as_html(said)}</div><hr><div id="divRplyFwdMsg" dir="ltr">{head}</div>'
    return "", f"<html><body>{shown}<div>{ours.html}</div></body></html>"


def outlook_phone(said: str, ours: Quoted) -> Parts:
    return f"{said}\n\n{_APP[ours.lang]}\n{'_' * 32}\n{ours.said(**_OUTLOOK)}\n{ours.text}", ""


def outlook_bold(said: str, ours: Quoted) -> Parts:
    lines = [line.partition(":") for line in ours.said(**_OUTLOOK).splitlines()]
    head = "\n".join(f"*{name.strip()}:*{rest}" for name, _, rest in lines)
    return f"{said}\n\n{head}\n\n{ours.text}", ""


def thunderbird(said: str, ours: Quoted) -> Parts:
    return f"{said}\n\n{_NAMED[ours.lang]}\n{ours.marked}", ""


def thunderbird_html(said: str, ours: Quoted) -> Parts:
    cite = f'<div class="moz-cite-prefix">{_NAMED[ours.lang]}<br></div><blockquote type="cite">{ours.html}</blockquote>'
    return "", f"<html><body><p>{escape(said).replace(chr(10), '<br>')}</p>{cite}</body></html>"


def thunderbird_signed(said: str, ours: Quoted) -> Parts:
    return f"{said}\n\n-- \nAlice Smith\nend of my wits\n\n{_NAMED[ours.lang]}\n{ours.marked}", ""


def yahoo(said: str, ours: Quoted) -> Parts:
    return f"{said}\n\n    {ours.said(**_WROTE)}  \n \n {ours.text.replace(chr(10), chr(10) + ' ')}", ""


def yahoo_html(said: str, ours: Quoted) -> Parts:
    return "", f'{_as_html(said)}<div id="yahoo_quoted_12" class="yahoo_quoted">{ours.html}</div>'


def proton(said: str, ours: Quoted) -> Parts:
    sent = "Sent with Proton Mail secure email."
    return f"{said}\n\n{sent}\n\n{ours.said(**_WROTE)}\n\n{ours.marked}", ""


def mutt(said: str, ours: Quoted) -> Parts:
    return f"{said}\n\nOn Sat, Nov 21, 2026 at 08:00:00PM +0000, Post Road wrote:\n{ours.marked}\n-- \nAlice", ""


def roundcube(said: str, ours: Quoted) -> Parts:
    named = _NAMED[ours.lang].replace("21/11/2026", "2026-11-21")
    return f"{said}\n\n{named}\n\n{ours.marked}", ""


def k9(said: str, ours: Quoted) -> Parts:
    said_by = {
        "en": "On 21 November 2026 20:00:00 UTC, {us} wrote:",
        "fr": "Le 21 novembre 2026 20:00:00 UTC, {us} a écrit :",
        "es": "El 21 de noviembre de 2026 20:00:00 UTC, {us} escribió:",
        "it": "Il 21 novembre 2026 20:00:00 UTC, {us} ha scritto:",
    }
    return f"{said}\n\n{ours.said(**said_by)}\n{ours.marked.replace('> ', '>')}", ""


def samsung(said: str, ours: Quoted) -> Parts:
    original = {"en": "-------- Original message --------", "fr": "-------- Message d'origine --------",
                "es": "-------- Mensaje original --------", "it": "-------- Messaggio originale --------"}  # fmt: skip
    return f"{said}\n\n\n{original[ours.lang]}\n{ours.said(**_OUTLOOK)}\n{ours.text}", ""


def german(said: str, ours: Quoted) -> Parts:
    head = "Gesendet: Samstag, 21. November 2026 um 20:00\nVon: Post Road\nAn: alice@example.org\nBetreff: Your turn"
    return f"{said}\n \n{head}\n{ours.text}", ""


def two_lines(said: str, ours: Quoted) -> Parts:
    first, _, last = ours.said(**_WROTE).partition("<")
    return f"{said}\n\n{first.strip()}\n<{last}\n{ours.marked}", ""


def no_attribution(said: str, ours: Quoted) -> Parts:
    return f"{said}\n\n{ours.text}", ""


def html_without_a_quote(said: str, ours: Quoted) -> Parts:
    return "", f"<html><body>{_as_html(said)}<div>{ours.html}</div></body></html>"


def marked_with_a_bar(said: str, ours: Quoted) -> Parts:
    return f"{said}\n" + "".join(f"| {line}\n" for line in ours.text.splitlines()), ""


def cut_at_the_marker(said: str, ours: Quoted) -> Parts:
    """Return an answer whose author deleted the marker line and everything above it."""
    rest = [line for line in ours.text.splitlines()][2:]
    return f"{said}\n\n{ours.said(**_WROTE)}\n" + "".join(f"> {line}\n" for line in rest), ""


STYLES: tuple[Style, ...] = (
    gmail, gmail_html, apple_mail, iphone, outlook, outlook_of_old, outlook_html, outlook_phone, outlook_bold,
    thunderbird, thunderbird_html, thunderbird_signed, yahoo, yahoo_html, proton, mutt, roundcube, k9, samsung, german,
    two_lines, no_attribution, html_without_a_quote, marked_with_a_bar, cut_at_the_marker,
)  # fmt: skip


def composed(parts: Parts) -> EmailMessage:
    """Return a mail of these parts."""
    text, html = parts
    mail = EmailMessage()
    if text:
        mail.set_content(text)
        if html:
            mail.add_alternative(html, subtype="html")
    else:
        mail.set_content(html, subtype="html")
    return mail
