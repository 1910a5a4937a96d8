"""Replaces personal data in texts by typed placeholders, before anything of a text is stored.

Each pattern is linear in the length of the text. Where a checksum tells a card from an order number it is asked;
otherwise a doubtful number is masked rather than kept.
"""

import re

EMAIL = "[EMAIL]"
PHONE = "[PHONE]"
CARD = "[CARD]"
ACCOUNT = "[ACCOUNT]"
PLACEHOLDERS = frozenset({EMAIL, PHONE, CARD, ACCOUNT})

# Chinese is written without blanks: what it writes beside a number or an address is no part of it.
_HAN = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_ALONE = rf"(?<![^\W{_HAN}])"
_ENDED = rf"(?![^\W{_HAN}])"

_EMAILS = (
    re.compile(
        rf"(?<![.+-]){_ALONE}(?:(?![{_HAN}])[\w.+-]){{1,64}}"
        rf"@(?:[\w-]{{1,63}}\.){{1,8}}[^\W\d_{_HAN}]{{2,24}}{_ENDED}(?!-)"
    ),
    # Addresses may be Chinese themselves.
    re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])"),
)
# Written in one piece, or in fours: the first four may be a bank's letters, the others hold digits, unlike words.
_IBAN = re.compile(
    rf"{_ALONE}[A-Z]{{2}}\d{{2}}(?:[A-Z0-9]{{11,30}}"
    r"|[ -][A-Z0-9]{4}(?:[ -](?=[A-Z]*\d)[A-Z0-9]{4}){1,6}(?:[ -](?=[A-Z]*\d)[A-Z0-9]{1,3})?)" + _ENDED,
    re.IGNORECASE,
)
_CARD = re.compile(rf"(?<![.,+]){_ALONE}\d(?:[ -]?\d){{12,18}}{_ENDED}")
# A placeholder names an account too, and says nothing of the number behind it.
_NAMED_ACCOUNT = re.compile(
    r"((?!(?<=\[)account\])(?:account|acct|compte|konto|kontonummer|cuenta|conto|rekening(?:nummer)?|conta|账号|账户|帐号)\D{0,20}?)"
    r"(?<!\d)\d(?:[ -]?\d){5,33}(?!\d)",
    re.IGNORECASE,
)
_PHONES = (
    # International: +33 6 12 34 56 78, 0049 (0)30 1234567, 00 33 6 12 34 56 78; but no hours: 9.00 12.30 14.00.
    re.compile(
        rf"(?<!\+){_ALONE}(?:\+ ?|00|(?<!\d[ .:,-])00[ .-])[1-9]\d{{0,2}}(?:[ ./-]?\(0\))?"
        r"(?:[ ./-]{0,2}\(?\d\)?){6,13}(?!\d)"
    ),
    # National with a trunk zero: 06 12 34 56 78, 030/1234567, 030 / 123 45 67, (020) 7946 0958.
    re.compile(rf"(?<![.,+]){_ALONE}\(?0[1-9](?:(?:[ ./()-]{{0,2}}| [/-] )\d){{7,10}}(?!\d)"),
    # North American: (555) 123-4567, 555-123-4567.
    re.compile(rf"(?<![.,+]){_ALONE}(?:1[ .-])?(?:\(\d{{3}}\) ?|\d{{3}}[ .-])\d{{3}}[ .-]\d{{4}}(?!\d)"),
    # Spanish and Portuguese: 612 345 678, 91 234 56 78, 912345678; but no round sum: 650 000 000.
    re.compile(
        rf"(?<![.,+]){_ALONE}(?:[679]\d{{8}}|[679]\d\d[ -]\d{{3}}[ -](?!000)\d{{3}}"
        rf"|[679]\d[ -]\d{{3}}[ -]\d\d[ -]\d\d|[679]\d\d(?:[ -]\d\d){{3}})(?!\d){_ENDED}"
    ),
    # Italian mobile numbers: 333 1234567.
    re.compile(rf"(?<![.,+]){_ALONE}3[2-9]\d[ ./-]?\d{{6,7}}{_ENDED}"),
    # Mainland Chinese mobile numbers.
    re.compile(r"(?<!\d)1[3-9]\d(?:[ -]?\d{4}){2}(?!\d)"),
)
_LONG_NUMBER = re.compile(r"\d(?:[^\d\n]{0,3}\d){5}")
# With the hour that may stand behind it.
_DATE = re.compile(r"0?\d{1,2}[ ./-]0?\d{1,2}[ ./-](?:19|20)\d\d(?: [012]?\d)?")


def mask(text: str) -> str:
    """The text with e-mail addresses, account, card and phone numbers replaced."""
    if "@" in text:
        for pattern in _EMAILS:
            text = pattern.sub(EMAIL, text)
    if not _LONG_NUMBER.search(text):
        return text
    text = _IBAN.sub(_iban, text)
    text = _CARD.sub(_card, text)
    text = _NAMED_ACCOUNT.sub(rf"\1{ACCOUNT}", text)
    for pattern in _PHONES:
        text = pattern.sub(_phone, text)
    return text


def _iban(match: re.Match[str]) -> str:
    # A word that merely looks like one has few digits: "IT24hours..." stays.
    return ACCOUNT if sum(map(str.isdigit, match[0])) >= 8 else match[0]


def _card(match: re.Match[str]) -> str:
    digits = [int(character) for character in match[0] if character.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return CARD if (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 else match[0]


def _phone(match: re.Match[str]) -> str:
    return match[0] if _DATE.fullmatch(match[0]) else PHONE
