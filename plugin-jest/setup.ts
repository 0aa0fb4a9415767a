import "./typed.ts";
import { register } from "./register.ts";

// A set-up file of the configuration: every test file has the matchers, also one that imports nothing.
register();
