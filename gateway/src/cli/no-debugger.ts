// Disables two signals. On SIGUSR1, Node opens a debugger, which exposes everything to other users of this
// machine. SIGUSR2 ends a process that has no listener for it. This module must be the first import of the
// executable.
if (process.platform !== "win32") {
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const) process.on(signal, () => undefined);
}
