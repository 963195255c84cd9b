"""What goes beyond curves and metrics, on the same explanation: effects, marginal effects, pairs, comparisons.

`effects` are mean curves of one feature and steps from observed values, `interactions` measure how far features act
together, `two_way` is partial dependence on two, `importances` sets impact beside other measures.
"""
