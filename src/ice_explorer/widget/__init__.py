"""The notebook widget: traits, messages, a thread that computes features and one that answers.

Data flow: `work` prepares an explanation, `background` computes it, `explorer` publishes the results and takes requests
that `replies` answers. Start at `explorer`.
"""
