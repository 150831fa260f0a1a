// Node opens a debugger upon this signal, and with it everything to whoever is on this machine. Importing
// this module turns that off; it is the first import of the executable.
if (process.platform !== "win32") process.on("SIGUSR1", () => undefined);
