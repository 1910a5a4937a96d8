"""A dataset's own topics, opinions and classifiers change its analysis, and no other dataset's."""

from feedback.analysis import ClassifierRule, OwnOpinion, OwnTopic, Profile, analyse
from tests.analysis.make import make_analysis, opinions_of


def test_an_own_opinion_wins_over_the_lexicon() -> None:
    text = "The burger is greasy."
    own = (OwnOpinion(term="greasy", opinion="POSITIVE"),)
    assert opinions_of(text)["burger"] == "NEGATIVE"
    assert opinions_of(text, opinions=own)["burger"] == "POSITIVE"


def test_an_own_opinion_holds_only_in_its_context() -> None:
    own = (OwnOpinion(term="warm", opinion="NEGATIVE", context=("beer",)),)
    assert opinions_of("The beer was warm.", opinions=own)["beer"] == "NEGATIVE"
    assert opinions_of("The welcome was warm.", opinions=own)["welcome"] != "NEGATIVE"


def test_of_own_words_that_a_form_may_stand_for_the_one_that_is_written_holds() -> None:
    own = tuple(OwnOpinion(term=term, opinion=sign) for term, sign in (("heat", "NEGATIVE"), ("heated", "POSITIVE")))
    for entries in (own, own[::-1]):
        assert opinions_of("The pool was heated.", opinions=entries)["pool"] == "POSITIVE"


def test_an_own_opinion_may_silence_a_word() -> None:
    own = (OwnOpinion(term="cheap", opinion="NEUTRAL"),)
    assert opinions_of("The cheap menu.", opinions=own)["menu"] == "NEUTRAL"


def test_an_own_topic_is_raised_by_its_terms_and_barred_by_its_exclusions() -> None:
    own = (OwnTopic("garden", "Garden", ("terrace", "beer garden"), ("terrace house",)),)

    def codes(text: str) -> set[str]:
        return {topic.code for topic in make_analysis(text, topics=own).topics}

    assert "garden" in codes("Lovely terraces.")
    assert "garden" in codes("The beer garden was full.")
    assert "garden" not in codes("We live in a terrace house.")


def test_a_topic_has_the_opinion_of_the_terms_that_raised_it() -> None:
    found = {t.code: t.opinion for t in make_analysis("The staff were very rude.", industry="HOSPITALITY").topics}
    assert found["staff"] == "NEGATIVE"


RULES = (
    ClassifierRule("route", "complaints", any_terms=("refund", "money back")),
    ClassifierRule("route", "shop", metadata=(("channel", "store"),)),
    ClassifierRule("route", "other"),
    ClassifierRule("urgent", "yes", any_topics=("staff",), any_opinion="NEGATIVE"),
)


def test_the_first_rule_that_holds_classifies() -> None:
    profile = Profile(industry="HOSPITALITY", classifiers=RULES)
    assert analyse("I want my money back!", profile).classifiers["route"] == "complaints"
    assert analyse("Nice.", profile, metadata={"channel": "store"}).classifiers["route"] == "shop"
    assert analyse("Nice.", profile).classifiers == {"route": "other"}


def test_a_rule_may_ask_for_a_judged_topic() -> None:
    profile = Profile(industry="HOSPITALITY", classifiers=RULES)
    assert analyse("The staff were very rude.", profile).classifiers["urgent"] == "yes"
    assert "urgent" not in analyse("The staff were lovely.", profile).classifiers
