#!/usr/bin/env node
import "./cli/no-debugger.ts";
import { giveMemoryBack } from "./cli/memory-environment.ts";

giveMemoryBack();
// all else, once the process is the one that stays
await import("./cli/main.ts");
