"""Answers in the style of programs and languages that `quoting` does not know: what surrounds the text."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tests.support.quoting import Parts, Quoted

SIGNATURES = (
    "Sent from my iPhone", "Sent from my Galaxy", "Sent from Gmail Mobile",
    "Sent via the Samsung Galaxy S22, an AT&T 5G smartphone",
    "Get BlueMail for Android", "Sent from my Android device with K-9 Mail. Please excuse my brevity.",
    "Enviado desde mi teléfono Huawei", "Enviado do Outlook para Android", "Enviado do meu Xiaomi",
    "Envoyé à partir de Yahoo Mail pour iPad", "Télécharger Outlook pour Mac", "Inviato da Libero Mail",
    "Von meinem Samsung Gerät gesendet.", "Gesendet mit der GMX Mail App", "Verstuurd vanaf mijn iPad",
    "Skickat från Yahoo Mail för iPhone", "Sendt fra min Sony Xperia", "Sendt fra Outlook til Android",
    "Lähetetty iPhonesta", "Wysłane z telefonu Motorola", "Odesláno z Outlooku pro Android", "Отправлено с iPad",
    "Надіслано з мого iPhone", "iPhone’umdan gönderildi", "iPhoneから送信", "从我的小米手机发送", "發自我的 iPhone",
    "내 Galaxy에서 보냄", "Στάλθηκε από το iPhone μου", "Az iPhone készülékemről küldve", "נשלח מה-iPhone שלי",
    "أُرسلت من الـ iPhone", "Trimis de pe iPhone-ul meu", "Get Outlook for iOS<https://example.com/o0ukef>",
    "Sent with Proton Mail secure email.", "Sent from Fastmail", "Sent with Thunderbird for Android",
    "Sent with Missive",
)  # fmt: skip
"""The last line of programs and phones."""

SENTENCES = (
    "On Sat, Nov 21, 2026 at 8:00 PM {us} wrote:", "Am Sa., 21. Nov. 2026 um 20:00 Uhr schrieb {us}:",
    "Op za 21 nov 2026 om 20:00 schreef {us}:", "lør. 21. nov. 2026 kl. 20:00 skrev {us}:",
    "Den lör 21 nov. 2026 kl 20:00 skrev {us}:", "la 21. marrask. 2026 klo 20.00 {us} kirjoitti:",
    "sob., 21 lis 2026 o 20:00 {us} napisał(a):", "so 21. 11. 2026 v 20:00 odesílatel {us} napsal:",
    "сб, 21 нояб. 2026 г. в 20:00, {us}:", "сб, 21 лист. 2026 р. о 20:00 {us} пише:",
    "{us}, 21 Kas 2026 Cmt, 20:00 tarihinde şunu yazdı:", "Em sáb., 21 de nov. de 2026 às 20:00, {us} escreveu:",
    "2026年11月21日(土) 20:00 {us}:",
    "{us} 于2026年11月21日周六 20:00写道：", "2026년 11월 21일 (토) 오후 8:00, {us}님이 작성:",
    "Στις Σάβ 21 Νοε 2026 στις 8:00 μ.μ., ο χρήστης {us} έγραψε:",
    "{us} ezt írta (időpont: 2026. nov. 21., Szo, 20:00):",
    "‫בתאריך שבת, 21 בנוב׳ 2026 ב-20:00 מאת ‪{us}‬‏:‬", "În sâm., 21 nov. 2026 la 20:00, {us} a scris:",
    "El sáb, 21 nov 2026 a las 20:00, {us} escribió:",
)  # fmt: skip
"""The sentence above a quote, as one program has it in many languages."""

HEADERS = (
    ("Von", "Gesendet", "An", "Betreff"), ("Van", "Verzonden", "Aan", "Onderwerp"),
    ("Från", "Skickat", "Till", "Ämne"),
    ("Fra", "Sendt", "Til", "Emne"), ("Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"),
    ("Od", "Wysłano", "Do", "Temat"),
    ("Od", "Odesláno", "Komu", "Předmět"), ("От", "Отправлено", "Кому", "Тема"),
    ("Kimden", "Gönderildi", "Kime", "Konu"),
    ("De", "Enviada em", "Para", "Assunto"), ("差出人", "送信日時", "宛先", "件名"),
    ("发件人", "发送时间", "收件人", "主题"),
    ("보낸 사람", "보낸 날짜", "받는 사람", "제목"), ("Από", "Στάλθηκε", "Προς", "Θέμα"),
    ("Feladó", "Elküldve", "Címzett", "Tárgy"),
)  # fmt: skip
"""The words of a block of headers."""

RULES = (
    "-------- Oprindelig besked --------", "------------------ 原始邮件 ------------------",
    "*-------- Original Message --------*",
    "-----Ursprungligt meddelande-----", "---------- Исходное сообщение ----------", "________________________________",
    "__",
    "—————", "-----", "=====",
)  # fmt: skip
"""What separates an answer from its quote."""


def _wrapped(sentence: str, address: str) -> str:
    return sentence.replace(f"<{address}>", f"<\n{address}>")


def texts(said: str, ours: Quoted) -> Iterator[tuple[str, Parts]]:
    """Yield plain texts: signatures, sentences in one line and in two, headers, rules, armour."""
    us, bare = f"Post Road <{ours.address}>", "\n".join(ours.text.splitlines()[2:])
    for sign in SIGNATURES:
        yield f"signed: {sign}", (f"{said}\n\n{sign}\n", "")
        yield f"signed above a quote: {sign}", (f"{said}\n\n{sign}\n\n{ours.marked}", "")
    for n, sentence in enumerate(SENTENCES):
        line = sentence.format(us=us)
        yield f"sentence: {line}", (f"{said}\n\n{line}\n\n{ours.marked}", "")
        yield f"wrapped: {line}", (f"{said}\n\n{_wrapped(line, ours.address)}\n\n{ours.marked}", "")
        yield f"by name: {line}", (f"{said}\n\n{sentence.format(us='Post Road')}\n{ours.marked}", "")
        yield f"without signs: {line}", (f"{said}\n\n{_wrapped(line, ours.address)}\n\n{ours.text}", "")
        signed = f"{said}\n\n{SIGNATURES[n]}\n\n{line}\n{ours.marked}"
        yield f"signed and quoted: {line}", (signed, "")
    for n, words in enumerate(HEADERS):
        for who in (us, "Post Road"):
            values = (who, "21.11.2026 20:00", "alice@example.org", "Your turn")
            colon = "：" if not words[0].isascii() and n % 2 else ": "
            block = "\n".join(f"{word}{colon}{value}" for word, value in zip(words, values, strict=True))
            bold = "\n".join(f"*{word}:* {value}" for word, value in zip(words, values, strict=True))
            yield f"headers: {words[0]} {who}", (f"{said}\n\n{block}\n\n{ours.text}", "")
            yield f"headers, our line gone: {words[0]} {who}", (f"{said}\n\n{block}\n\n{bare}", "")
            yield f"headers in bold: {words[0]} {who}", (f"{said}\n\n{bold}\n\n{ours.text}", "")
    for rule in RULES:
        yield f"rule: {rule}", (f"{said}\n\n{rule}\nFra: Post Road\nDato: 21.11.2026\n\n{ours.text}", "")
        yield f"rule alone: {rule}", (f"{said}\n{rule}\n{ours.text}", "")
    yield "Zoho", (f"{said}\n\n---- On Sat, 21 Nov 2026 20:00:00 +0000 Post Road wrote ----\n\n{ours.text}", "")
    begin = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n"
    end = "\n-----BEGIN PGP SIGNATURE-----\n\niQEz\n=a1b2\n-----END PGP SIGNATURE-----\n"
    yield "signed in the text", (f"{begin}{said}{end}", "")
    yield "signed with a quote", (f"{begin}{said}\n\n- -- \nAlice\n\n{ours.marked}{end}", "")


WARNINGS = (
    "CAUTION: This email originated from outside of the organization. Do not click links or open attachments.",
    "[EXTERNAL]", "ACHTUNG: Diese E-Mail stammt von einem externen Absender!",
    "Ce message provient d’un expéditeur externe à votre organisation.",
)  # fmt: skip


def html(said: str, ours: Quoted) -> Iterator[tuple[str, Parts]]:
    """Yield HTML alone, as programs build it."""
    lines = "".join(f"<p>{escape(line)}</p>" for line in said.split("\n") if line)
    breaks = "<br>".join(map(escape, said.split("\n")))
    named, quote = "On 2026-11-21 20:00, Post Road wrote:", f"<blockquote type='cite'>{ours.html}</blockquote>"
    sentence = escape(SENTENCES[3].format(us=f"Post Road <{ours.address}>"))
    hidden = "<p><s>drop never</s></p><p style='display:none'>pass</p><p style='text-decoration: line-through'>end</p>"
    head = "<b>Von:</b> Post Road<br><b>Gesendet:</b> 21.11.2026<br><b>An:</b> Alice<br>"
    bodies = {
        "a sentence above a quote": f"{lines}<p>{named}</p>{quote}",
        "in one section": f"<div>{breaks}</div><div>{named}<br>{quote}</div>",
        "in another language": f"<div>{breaks}</div><br><div>{sentence}</div>{quote}",
        "a div for a quote": f"<div>{breaks}</div><div class='protonmail_quote'>{named}{quote}</div>",
        "a table": f"<table><tr><td>{breaks}</td></tr></table><p>{named}</p>{quote}",
        "below the quote": f"<div class='moz-cite-prefix'>{named}</div>{quote}<div>{breaks}</div>",
        "headers in bold": f"{lines}<div>{head}</div>{ours.html}",
        "struck through and hidden": f"{hidden}{lines}<p>{named}</p>{quote}",
        "set in": f"<blockquote style='margin: 0 0 0 40px; border: none'>{breaks}</blockquote><p>{named}</p>{quote}",
        "signed": f"{lines}<p><br></p><p>Sent from Outlook for Android</p><hr>{quote}",
        "signed in an element": f"{lines}<div id='ms-outlook-mobile-signature'>Get it now</div><p>{named}</p>{quote}",
    }
    for warning in WARNINGS:
        bodies[f"warned: {warning[:12]}"] = f"<div>{escape(warning)}</div><div>{breaks}</div><p>{named}</p>{quote}"
        yield f"warned in a text: {warning[:12]}", (f"{warning}\n\n{said}\n\n{ours.marked}", "")
    for what, body in bodies.items():
        yield f"HTML: {what}", ("", f"<html><body>{body}</body></html>")
