"""Brings what files call a language to its code: `FR-CA`, `fra`, `French` and `français` are one language."""

import re
import unicodedata

NAMES = {
    "af": "afr afrikaans",
    "am": "amh amharic አማርኛ",
    "ar": "ara arabic arabisch arabe árabe arabo العربية عربي",
    "az": "aze azerbaijani azərbaycan",
    "be": "bel belarusian беларуская",
    "bg": "bul bulgarian bulgarisch български",
    "bn": "ben bengali bangla বাংলা",
    "bs": "bos bosnian bosanski",
    "ca": "cat catalan català",
    "cs": "ces cze czech tschechisch tchèque čeština česky",
    "cy": "cym wel welsh cymraeg",
    "da": "dan danish dänisch danois dansk",
    "de": "deu ger german deutsch allemand alemán alemão tedesco duits deutsche 德语 ドイツ語",
    "el": "ell gre greek griechisch grec ελληνικά",
    "en": "eng english englisch anglais inglés inglês inglese engels 英语 英語",
    "es": "spa spanish spanisch espagnol español castellano castilian espanhol spagnolo spaans 西班牙语 スペイン語",
    "et": "est estonian eesti",
    "eu": "eus baq basque euskara",
    "fa": "fas per persian farsi فارسی",
    "fi": "fin finnish finnisch finnois suomi",
    "fr": "fra fre french französisch français francés francês francese frans 法语 フランス語",
    "ga": "gle irish gaeilge",
    "gl": "glg galician galego",
    "gu": "guj gujarati ગુજરાતી",
    "he": "heb iw hebrew עברית",
    "hi": "hin hindi हिन्दी हिंदी",
    "hr": "hrv croatian kroatisch hrvatski",
    "hu": "hun hungarian ungarisch hongrois magyar",
    "hy": "hye arm armenian հայերեն",
    "id": "ind in indonesian bahasa_indonesia indonesia",
    "is": "isl ice icelandic íslenska",
    "it": "ita italian italienisch italien italiano italiaans 意大利语 イタリア語",
    "ja": "jpn japanese japanisch japonais japonés 日本語 日语",
    "ka": "kat geo georgian ქართული",
    "kk": "kaz kazakh қазақ",
    "km": "khm khmer ខ្មែរ",
    "kn": "kan kannada ಕನ್ನಡ",
    "ko": "kor korean koreanisch coréen 한국어 韩语",
    "lb": "ltz luxembourgish lëtzebuergesch",
    "lo": "lao ລາວ",
    "lt": "lit lithuanian lietuvių",
    "lv": "lav latvian latviešu",
    "mk": "mkd mac macedonian македонски",
    "ml": "mal malayalam മലയാളം",
    "mn": "mon mongolian монгол",
    "mr": "mar marathi मराठी",
    "ms": "msa may malay bahasa_melayu melayu",
    "mt": "mlt maltese malti",
    "my": "mya bur burmese မြန်မာ",
    "nb": "nob norwegian_bokmål bokmål norsk_bokmål",
    "ne": "nep nepali नेपाली",
    "nl": "nld dut dutch niederländisch holländisch néerlandais neerlandés holandés holandês olandese nederlands",
    "nn": "nno norwegian_nynorsk nynorsk norsk_nynorsk",
    "no": "nor norwegian norwegisch norvégien norsk",
    "pa": "pan punjabi panjabi ਪੰਜਾਬੀ",
    "pl": "pol polish polnisch polonais polaco polacco pools polski",
    "ps": "pus pashto پښتو",
    "pt": "por portuguese portugiesisch portugais portugués português portoghese portugees 葡萄牙语",
    "ro": "ron rum romanian rumänisch roumain română",
    "ru": "rus russian russisch russe ruso russo русский 俄语",
    "si": "sin sinhala sinhalese සිංහල",
    "sk": "slk slo slovak slowakisch slovenčina",
    "sl": "slv slovenian slovene slowenisch slovenščina",
    "so": "som somali soomaali",
    "sq": "sqi alb albanian albanisch shqip",
    "sr": "srp serbian serbisch српски srpski",
    "sv": "swe swedish schwedisch suédois svenska",
    "sw": "swa swahili kiswahili",
    "ta": "tam tamil தமிழ்",
    "te": "tel telugu తెలుగు",
    "th": "tha thai ไทย",
    "tl": "tgl fil tagalog filipino",
    "tr": "tur turkish türkisch turc turco türkçe",
    "uk": "ukr ukrainian ukrainisch українська",
    "ur": "urd urdu اردو",
    "uz": "uzb uzbek oʻzbek",
    "vi": "vie vietnamese vietnamesisch tiếng_việt",
    "zh": "zho chi cmn chinese mandarin simplified_chinese traditional_chinese chinesisch chinois chino cinese "
    "中文 汉语 漢語 简体中文 繁體中文 中国語",
    "zu": "zul zulu isizulu",
}
"""A language's code -> its other codes and its names; an underscore stands for a blank."""

RARER = re.compile(
    "aa|ab|ae|ak|an|as|av|ay|ba|bh|bi|bm|bo|br|ce|ch|co|cr|cu|cv|dv|dz|ee|eo|ff|fj|fo|fy|gd|gn|gv|ha|ho|ht|hz|ia|ie|ig"
    "|ii|ik|io|iu|jv|kg|ki|kj|kl|kr|ks|ku|kv|kw|ky|la|lg|li|ln|lu|mg|mh|mi|na|nd|ng|nr|nv|ny|oc|oj|om|or|os|pi|qu|rm|rn"
    "|rw|sa|sc|sd|se|sg|sm|sn|ss|st|su|tg|ti|tk|tn|to|ts|tt|tw|ty|ug|ve|vo|wa|wo|xh|yi|yo|za"
    "|ast|ceb|ckb|fur|gsw|haw|hmn|kab|nds|sah|scn|szl|und|vec|war|yue"
)
"""Codes that files hold, of languages whose names they hardly do."""

CODE = re.compile(r"([a-z]{2,3})([-_][a-z0-9]{1,8})*")
VARIETY = re.compile(r"\s*(\(.*\)|（.*）|[-–,/]\s.*)$")


def _folded(text: str) -> str:
    """Lower case without accents, however the file composes them."""
    split = unicodedata.normalize("NFKD", text.strip().casefold())
    return "".join(letter for letter in split if not "\u0300" <= letter <= "\u036f")


_KNOWN = {_folded(word.replace("_", " ")): code for code, words in NAMES.items() for word in [code, *words.split()]}


def language_code(text: str) -> str | None:
    """The lower-case code of a language that is written as a code or as a name; None for what is neither."""
    folded = _folded(VARIETY.sub("", text.strip()))
    if found := _KNOWN.get(folded):
        return found
    code = CODE.fullmatch(folded)
    if code is None:
        return None
    return _KNOWN.get(code[1]) or (code[1] if RARER.fullmatch(code[1]) else None)
