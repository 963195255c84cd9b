"""Plan an explanation and hold its results as numbers.

Data flow: `options` → `plan` → `feature_explanation` → `explanation_result`. Start at `plan`.
`ice_explorer.explanation` adds figures and files.
"""
