/** An expected failure of a backup or a restore; the message is shown to the user as it is. */
export class BackupError extends Error {
  override name = "BackupError";
}
