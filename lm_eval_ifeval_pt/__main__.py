"""`python -m lm_eval_ifeval_pt` is `lm-eval-pt`."""

from lm_eval_ifeval_pt.cli import main

main(prog_name="python -m lm_eval_ifeval_pt")
