"""Hiding places of the searching tasks: where things may be, and what is remembered of them."""
