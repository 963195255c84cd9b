"""Compute ICE curves of one feature: by prediction, in closed form or from trees; derive c-ICE and d-ICE.

`engines` chooses the method. Start at `brute`, which works for any model and is the reference for the others.
"""
