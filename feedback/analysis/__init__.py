"""The analysis engine: (text, frozen profile) in, terms with opinions, topics and classifier values out."""

from feedback.analysis.pipeline import ANALYSIS_VERSION, Analyser, analyse, analyse_many, warm
from feedback.analysis.profile import ClassifierRule, FittedClassifier, OwnOpinion, OwnTopic, Profile

__all__ = [
    "ANALYSIS_VERSION",
    "Analyser",
    "ClassifierRule",
    "FittedClassifier",
    "OwnOpinion",
    "OwnTopic",
    "Profile",
    "analyse",
    "analyse_many",
    "warm",
]
