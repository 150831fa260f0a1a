// Upon SIGUSR1 Node opens a debugger, and with it everything to whoever is on this machine; SIGUSR2 ends a
// process that does not listen. Importing this module turns both off; it is the first import of the
// executable.
if (process.platform !== "win32") {
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const) process.on(signal, () => undefined);
}
