"""The nouns of an audit, in the papers' words: frozen, slotted dataclasses without behaviour of their own."""
