// Agents with one planted bug each, for twelve checks, that nothing but a fault shows, and their fixed twins.
export { looksBeforeItTriesAgain } from "./agents/i01-looks-before-it-tries-again.mjs";
export { trustsOneLook } from "./agents/i01-trusts-one-look.mjs";
export { believesAYes } from "./agents/i02-believes-a-yes.mjs";
export { leavesHalfBehind } from "./agents/i03-leaves-half-behind.mjs";
export { callsUnknownNotSent } from "./agents/i04-calls-unknown-not-sent.mjs";
export { takesTheBackDoor } from "./agents/i05-takes-the-back-door.mjs";
export { doesNotWait } from "./agents/i06-does-not-wait.mjs";
export { triesAgainBlindly } from "./agents/i07-tries-again-blindly.mjs";
export { overwritesBlindly } from "./agents/i08-overwrites-blindly.mjs";
export { missesAnItem } from "./agents/i09-misses-an-item.mjs";
export { postsWhatItGot } from "./agents/i10-posts-what-it-got.mjs";
export { neverGivesUp } from "./agents/i11-never-gives-up.mjs";
export { staysDown } from "./agents/i12-stays-down.mjs";
