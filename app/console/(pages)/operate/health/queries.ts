import { type AnswerOf } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";

const REFRESH_MS = 5_000;

export type Health = AnswerOf<"operate.getHealth">;
export type Process = Health["processes"][number];

export const healthQuery = queryOf("operate.getHealth", {}, { refetchInterval: REFRESH_MS });
