import { z } from "zod";

const isBlank = (value: unknown) => typeof value === "string" && value.trim() === "";

/** Blank text counts as missing. */
export const blankIsMissing = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (isBlank(value) ? undefined : value), schema);

/** "" counts as null, as clients send it for optional fields. */
export const emptyIsNull = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === "" ? null : value), schema);

/** Text of 1 to `max` characters after trimming. */
export const trimmedText = (max: number) =>
  z.string().trim().min(1, { error: "is required" }).max(max);

/** A typed password. Never trimmed. */
export const Password = z.string().min(1, { error: "is required" }).max(1000);
