"""What goes beyond curves and metrics, on the same explanation: effects, marginal effects, interactions, comparisons.

`effects` are mean curves of one feature, `marginal_effects` are steps from observed values, `interactions` measure how
far features act together, `correlations` how far they vary together, `importances` sets impact beside other measures.
"""
