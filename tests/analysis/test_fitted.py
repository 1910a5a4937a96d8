"""Fitted classifiers without the service: the same documents give the same bytes, and any text gets a value."""

from hypothesis import given, settings
from hypothesis import strategies as st

from feedback.analysis import FittedClassifier, Profile, analyse
from feedback.analysis.fitted import features, unpack
from feedback.analysis.fitting import fit
from feedback.domain.labelled import Labelled

TEXTS = {
    "delivery": ["The parcel came late", "My parcel never arrived", "The courier left the parcel outside"],
    "support": ["Nobody answers the phone", "The agent on the phone was rude", "I waited on the phone for an hour"],
    "价格": ["价格太贵了", "这个价格不合理", "价格比别家高"],
}


def make_labelled() -> Labelled:
    pairs = [(f"{text} {n}", value) for value, texts in TEXTS.items() for text in texts for n in range(4)]
    return Labelled([text for text, _ in pairs], [value for _, value in pairs])


FITTED = fit(make_labelled())


def test_the_same_documents_give_the_same_bytes() -> None:
    assert fit(make_labelled()).model == FITTED.model


def test_what_is_packed_decides_as_what_was_fitted() -> None:
    model = unpack(FITTED.model)
    asked = ["Where is my parcel?", "On the phone for ages", "价格很贵"]
    assert [model.predict(features(text)) for text in asked] == list(TEXTS)


def test_what_cannot_be_learnt_has_figures_no_better_than_chance() -> None:
    labelled = make_labelled()
    assert fit(Labelled(labelled.texts, ["ab"[(n + n // 4) % 2] for n in range(len(labelled.texts))])).accuracy <= 0.7


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_gets_one_of_the_values(text: str) -> None:
    profile = Profile(lang="en", fitted=(FittedClassifier("matter", FITTED.model),))
    assert analyse(text, profile).classifiers["matter"] in TEXTS
