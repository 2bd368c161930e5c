"""The simulated world that no task owns: kitchens, robot contract, stepping, recording, rendering."""
