"""A self-hosted service that analyses customer feedback: terms, opinions, topics, and exact figures over them."""
