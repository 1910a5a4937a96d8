"""The parts of the aggregation benchmark: a corpus, the questions, and each rival's way to answer them."""
