"""Replaces personal data in texts by typed placeholders, before anything of a text is stored.

Each pattern is linear in the length of the text. Where a checksum tells a card from an order number it is asked;
otherwise a doubtful number is masked rather than kept.
"""

import re

EMAIL = "[EMAIL]"
PHONE = "[PHONE]"
CARD = "[CARD]"
ACCOUNT = "[ACCOUNT]"

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
# Written in one piece, or in fours: the first four may be a bank's letters, the others hold digits, unlike words.
_IBAN = re.compile(
    r"(?<!\w)[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}"
    r"|[ -][A-Z0-9]{4}(?:[ -](?=[A-Z]*\d)[A-Z0-9]{4}){1,6}(?:[ -](?=[A-Z]*\d)[A-Z0-9]{1,3})?)(?!\w)",
    re.IGNORECASE,
)
_CARD = re.compile(r"(?<![\w.,])\d(?:[ -]?\d){12,18}(?![\w])")
# A placeholder names an account too, and says nothing of the number behind it.
_NAMED_ACCOUNT = re.compile(
    r"((?!(?<=\[)account\])(?:account|acct|compte|konto|kontonummer|cuenta|conto|rekening(?:nummer)?|conta|账号|账户|帐号)\D{0,20}?)"
    r"(?<!\d)\d(?:[ -]?\d){5,17}(?!\d)",
    re.IGNORECASE,
)
_PHONES = (
    # International: +33 6 12 34 56 78, 0049 (0)30 1234567.
    re.compile(r"(?<![\w+])(?:\+|00)[1-9]\d{0,2}(?:[ ./-]?\(0\))?(?:[ ./-]{0,2}\(?\d\)?){6,13}(?!\d)"),
    # National with a trunk zero: 06 12 34 56 78, 030/1234567, (020) 7946 0958.
    re.compile(r"(?<![\w.,+])\(?0[1-9](?:[ ./()-]{0,2}\d){7,10}(?!\d)"),
    # North American: (555) 123-4567, 555-123-4567.
    re.compile(r"(?<![\w.,+])(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?!\d)"),
    # Mainland Chinese mobile numbers.
    re.compile(r"(?<!\d)1[3-9]\d(?:[ -]?\d{4}){2}(?!\d)"),
)
_LONG_NUMBER = re.compile(r"\d(?:[^\d\n]{0,3}\d){5}")
_DATE = re.compile(r"0?\d{1,2}[ ./-]0?\d{1,2}[ ./-](?:19|20)\d\d")


def mask(text: str) -> str:
    """The text with e-mail addresses, account, card and phone numbers replaced."""
    if "@" in text:
        text = _EMAIL.sub(EMAIL, text)
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
