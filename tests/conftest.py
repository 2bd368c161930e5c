"""OpenGL and threads are chosen before any test module imports mujoco."""

from sim.gl import setup_gl

setup_gl()
