import { withTwiceshy } from "twiceshy/jest/config";

export default withTwiceshy();
