#!/usr/bin/env node
import { runGenerator } from "protoc-gen-connect-rest/kit";
import { routesGenerator } from "./generator.ts";

await runGenerator(routesGenerator);
