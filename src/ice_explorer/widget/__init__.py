"""The notebook widget: traits, messages, and one background thread that computes features.

Data flow: `work` prepares an explanation, `background` computes it, `explorer` publishes the results and takes requests
that `replies` answers. Start at `explorer`.
"""
