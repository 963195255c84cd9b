"""ICE curves of one feature: ways to compute them, and what is derived from them."""
