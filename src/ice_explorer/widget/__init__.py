"""The notebook widget: traits, messages, and one background thread that computes features.

Data flow: `session` prepares an explanation, `background` computes it, `explorer` publishes the results. Start at
`explorer`.
"""
