// Connects what doveadm says, and wants to hear, with the mail process.
import { connect } from "node:net";

const socket = connect(/** @type {string} */ (process.argv[2]));
process.stdin.pipe(socket).pipe(process.stdout);
