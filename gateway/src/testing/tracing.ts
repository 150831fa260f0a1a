// The set-up of the documentation: everything else comes from the environment.
import { NodeSDK } from "@opentelemetry/sdk-node";

new NodeSDK().start();
