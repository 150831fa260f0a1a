#!/usr/bin/env node
import "./cli/no-debugger.ts";
import { giveMemoryBack } from "./cli/memory-environment.ts";

giveMemoryBack();
// loaded only after the process has decided whether to restart itself
await import("./cli/main.ts");
