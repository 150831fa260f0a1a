#!/usr/bin/env node
import { runGenerator } from "../kit/generator.ts";
import { toolsGenerator } from "./generator.ts";

await runGenerator(toolsGenerator);
