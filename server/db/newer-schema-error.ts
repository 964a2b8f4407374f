/** A newer version of Posthouse has used the database. */
export class NewerSchemaError extends Error {
  override name = "NewerSchemaError";
}
