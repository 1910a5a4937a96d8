"""Claims about topics."""

import pytest

from feedback.analysis import Profile, analyse


def test_topics_are_labelled_in_the_datasets_language() -> None:
    profile = Profile(lang="en", industry="RETAIL_B2C")
    spoken = {lang: analyse(text, profile, lang).topics for text, lang in COMMENTS}
    assert [{(topic.code, topic.label) for topic in topics} for topics in spoken.values()] == [
        {("delivery", "Delivery")}
    ] * len(COMMENTS)


def test_topics_of_a_dataset_without_a_language_are_labelled_in_the_comments() -> None:
    found = analyse("La livraison était en retard.", Profile(lang=None, industry="RETAIL_B2C"), "fr").topics
    assert ("delivery", "Livraison") in {(topic.code, topic.label) for topic in found}


@pytest.mark.parametrize(
    ("text", "lang", "opinion"),
    [
        ("The room was clean.", "en", "POSITIVE"),
        ("The room was not clean.", "en", "NEGATIVE"),
        ("Das Zimmer war sauber.", "de", "POSITIVE"),
        ("La habitación estaba sucia.", "es", "NEGATIVE"),
        ("房间很干净。", "zh", "POSITIVE"),
    ],
)
def test_a_topic_that_the_judging_word_raises_has_its_judgement(text: str, lang: str, opinion: str) -> None:
    found = {topic.code: topic.opinion for topic in analyse(text, Profile(lang=lang, industry="HOSPITALITY")).topics}
    assert found == {"room": opinion, "cleanliness": opinion}


@pytest.mark.parametrize(
    ("text", "industry", "topic", "raised"),
    [
        ("Right next to a beautiful park.", "HOSPITALITY", "parking", False),
        ("We parked behind the hotel.", "HOSPITALITY", "parking", True),
        ("The car park was full.", "HOSPITALITY", "parking", True),
        ("The food was cold.", "GENERAL", "comfort", False),
        ("The office is freezing.", "GENERAL", "comfort", True),
    ],
)
def test_a_park_is_no_parking_and_cold_food_no_lack_of_comfort(
    text: str, industry: str, topic: str, *, raised: bool
) -> None:
    found = analyse(text, Profile(lang="en", industry=industry)).topics
    assert (topic in {each.code for each in found}) is raised


COMMENTS = [
    ("The delivery was awful.", "en"),
    ("La livraison était en retard.", "fr"),
    ("Die Lieferung war beschädigt.", "de"),
]
