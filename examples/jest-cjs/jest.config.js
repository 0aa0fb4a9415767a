const { withTwiceshy } = require("twiceshy/jest/config");

module.exports = withTwiceshy({}, { agent: "./src/agent.js#run", traces: "traces/*.jsonl" });
