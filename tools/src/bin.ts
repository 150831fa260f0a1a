#!/usr/bin/env node
import { runGenerator } from "protoc-gen-connect-rest/kit";
import { toolsGenerator } from "./generator.ts";

await runGenerator(toolsGenerator);
