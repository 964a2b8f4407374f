import classes from "./test-badge.module.css";

/** Marks data of test mode, and test events. */
export const TestBadge = () => <span className={classes.badge}>Test</span>;
