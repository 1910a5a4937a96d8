"""Claims about topics."""

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


COMMENTS = [
    ("The delivery was awful.", "en"),
    ("La livraison était en retard.", "fr"),
    ("Die Lieferung war beschädigt.", "de"),
]
