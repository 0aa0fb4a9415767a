import "./typed.ts";
import { register } from "./register.ts";

// A setup file of the plugin: every test file has the matchers, also one that imports vitest alone.
register();
