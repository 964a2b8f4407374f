import type { Domain } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { publishEvent } from "#server/core/webhooks/events/publish-event.ts";

/** Whether the API or the console changed the domain: changes in the console send no events. */
export type Via = "api" | "console";

/** Publishes an event with the domain's current state; see `publishEvent`. */
export async function publishDomainEvent(
  ctx: Context,
  type: "domain.created" | "domain.updated" | "domain.deleted",
  { id, name, status, createdAt }: Pick<Domain, "id" | "name" | "status" | "createdAt">,
): Promise<void> {
  const created_at = new Date(createdAt).toISOString();
  await publishEvent(ctx, type, { id, name, status, created_at });
}
