"""Guesses what each column of a file holds; a few cells that do not fit, such as a line of totals, decide nothing."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from statistics import mean

from tasks.extract.languages import language_code

DAYS = {
    "%Y-%m-%d": r"\d{4}-\d{2}-\d{2}",
    "%d/%m/%Y": r"(0?[1-9]|[12]\d|3[01])/(0?[1-9]|1[0-2])/\d{4}",
    "%m/%d/%Y": r"(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])/\d{4}",
    "%d.%m.%Y": r"(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.\d{4}",
    "%d-%m-%Y": r"(0[1-9]|[12]\d|3[01])-(0[1-9]|1[0-2])-\d{4}",
}
TIMES = {"": "", " %H:%M": r" \d{1,2}:\d{2}", " %H:%M:%S": r" \d{1,2}:\d{2}:\d{2}"}
ISO = r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?"
DATES = {"%Y-%m-%d": DAYS["%Y-%m-%d"], "iso": ISO} | {
    day + time: DAYS[day] + TIMES[time] for day, time in product(DAYS, TIMES) if day != "%Y-%m-%d"
}
NUMBER = r"[+-]?\d+([.,]\d+)?"
BOOLEAN = frozenset({"true", "false", "yes", "no", "0", "1"})
YES_AND_NO = (("ja", "nein"), ("ja", "nee"), ("oui", "non"), ("sí", "no"), ("si", "no"), ("sì", "no"), ("sim", "não"))
LANGUAGE = r"lang|sprache|idioma|l[ií]ngua|taal|locale|语言"
NO_COUNTRY = frozenset({"EN", "JA", "ZH", "CS", "DA", "KO", "EL"})
"""Codes of languages that no country has: with one of them, a column such as EN, DE, FR speaks of languages."""
E_MAIL = r"[^@\s]+@[^@\s]+\.[^@\s]+"
ANSWER = r"(10|\d)(\s*[-–=:(].*)?"
SCORED = (
    r"nps|score|rating|recommend|weiterempf|recommand|recomend|note|stars|csat|satisf|zufrieden"
    r"|estrella|sterne|[eé]toile|stelle|sterren|estrela|评分|星级"
)
FITTING = 0.98
NEARLY = 0.8
FEW = 20


@dataclass(slots=True)
class ColumnGuess:
    """What a column seems to hold. `share` is how many of its cells are filled, `recode` what its texts become.

    `doubt` is what a person should look at.
    """

    name: str
    position: int
    share: float
    distinct: int
    unique: bool
    words: float
    type: str
    detail: str = ""
    personal: bool = False
    recode: dict[str, int | bool] = field(default_factory=dict)
    doubt: str = ""


def guess(name: str, position: int, cells: list[str]) -> ColumnGuess:
    """What a column holds, by its name and its stripped cells."""
    filled = [cell for cell in cells if cell]
    distinct = set(filled)
    words = mean(len(cell.split()) for cell in filled) if filled else 0.0
    share = len(filled) / max(1, len(cells))
    unique = len(distinct) == len(filled) > 0 and share >= FITTING
    found = ColumnGuess(name, position, share, len(distinct), unique, words, *_type(name, filled, distinct, words))
    found.personal = _most(filled, lambda cell: bool(re.fullmatch(E_MAIL, cell)))
    if found.type == "String":
        _recode(found, filled, distinct)
        found.doubt = _nearly_dates(filled)
    return found


def _most(filled: list[str], fits: Callable[[str], bool]) -> bool:
    return bool(filled) and sum(map(fits, filled)) >= FITTING * len(filled)


def _matches(pattern: str) -> Callable[[str], bool]:
    return lambda cell: bool(re.fullmatch(pattern, cell))


def _type(name: str, filled: list[str], distinct: set[str], words: float) -> tuple[str, str]:
    if not filled:
        return "empty", ""
    for form, pattern in DATES.items():
        if _most(filled, _matches(pattern)):
            return "Datetime", form
    if {cell.lower() for cell in distinct} <= BOOLEAN and len(distinct) <= 2:
        return "Boolean", ""
    if _most(filled, _matches(NUMBER)):
        return _number(name, [cell for cell in filled if re.fullmatch(NUMBER, cell)])
    if words > 6:
        return "text", ""
    if len(distinct) <= FEW and _languages(name, filled, distinct):
        return "language", ""
    return ("String", "") if max(map(len, filled)) <= 200 else ("long", "")


def _nearly_dates(filled: list[str]) -> str:
    """What keeps a column from being one of dates where most of its cells are."""
    for form, pattern in DATES.items():
        odd = [cell for cell in filled if not re.fullmatch(pattern, cell)]
        if len(odd) <= (1 - NEARLY) * len(filled):
            share = 1 - len(odd) / len(filled)
            return f"{share:.0%} are dates as {form}, others as {odd[0]!r}: a Datetime takes several formats"
    return ""


def _languages(name: str, filled: list[str], distinct: set[str]) -> bool:
    """Whether cells name languages, rather than countries (`DE`, `FR`) or answers (`si` and `no` are codes, too)."""
    named = bool(re.search(LANGUAGE, name, re.IGNORECASE))
    if not named and any({cell.lower() for cell in distinct} <= set(pair) for pair in YES_AND_NO):
        return False
    countries = all(re.fullmatch("[A-Z]{2,3}", cell) for cell in distinct) and not distinct & NO_COUNTRY
    return (named or not countries) and _most(filled, lambda cell: language_code(cell) is not None)


def _number(name: str, filled: list[str]) -> tuple[str, str]:
    values = [float(cell.replace(",", ".")) for cell in filled]
    low, high, whole = min(values), max(values), all(value.is_integer() for value in values)
    scored = re.search(SCORED, name, re.IGNORECASE)
    detail = "," if any("," in cell for cell in filled) else "."
    if whole and low >= 0 and 7 < high <= 10 and scored:
        return "NPS", detail
    if whole and low >= 1 and high <= 7 and scored:
        return "CSAT", f"{max(5.0, high):.0f}"
    return "Number", detail


def _recode(found: ColumnGuess, filled: list[str], distinct: set[str]) -> None:
    """Yes and no in other languages; answers such as `10 - very likely`, whose other texts mean no answer."""
    folded = {cell.lower(): cell for cell in distinct}
    for yes, no in YES_AND_NO:
        if folded.keys() == {yes, no}:
            found.type, found.recode = "Boolean", {folded[yes]: True, folded[no]: False}
            return
    answers = {cell: int(said[1]) for cell in distinct if (said := re.fullmatch(ANSWER, cell))}
    told = sum(cell in answers for cell in filled)
    if len(distinct) <= FEW and told > len(filled) / 2 and max(answers.values()) > 5:
        # A score that nobody gave yet must not be taken for no answer when somebody does.
        answers |= {str(score): score for score in range(11) if score not in answers.values()}
        found.type, found.recode = "NPS", dict(sorted(answers.items(), key=lambda pair: pair[1]))
