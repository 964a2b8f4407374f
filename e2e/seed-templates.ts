import { publishTemplate, updateTemplate } from "#server/core/sending/templates/templates.ts";
import { aContext, aTemplate } from "#server/testing/factories.ts";

const HTML = `<div style="font-family: sans-serif; max-width: 480px">
  <h1 style="font-size: 20px">Hi {{{CUSTOMER}}},</h1>
  <p>your order <b>{{{ORDER}}}</b> has shipped and arrives on {{{DAY}}}.</p>
  <p><a href="https://shop.example/orders/{{{ORDER}}}">Track your order</a></p>
</div>
`;

const VARIABLES = [
  { key: "CUSTOMER", type: "string" as const, fallbackValue: "there" },
  { key: "ORDER", type: "number" as const, fallbackValue: null },
  { key: "DAY", type: "string" as const, fallbackValue: "Monday" },
];

/** A published template with a draft, one that is published, and a draft. */
export async function templatesInEveryState({
  companyId,
  domain,
}: {
  companyId: string;
  domain: string;
}) {
  const ctx = aContext(companyId);
  const draft = await aTemplate(companyId, {
    name: "Newsletter, autumn edition",
    isPublished: false,
  });
  await aTemplate(companyId, {
    name: "Password reset",
    alias: "password-reset",
    variables: [],
    subject: "Reset your password",
    html: "<p>Reset it.</p>",
  });
  const shipped = await aTemplate(companyId, {
    name: "Order shipped",
    alias: "order-shipped",
    html: HTML,
    variables: VARIABLES,
    subject: "Your order {{{ORDER}}} has shipped",
    text: "Order {{{ORDER}}} has shipped.",
    from: `Northwind <hello@${domain}>`,
  });
  await updateTemplate(ctx, shipped.id, { subject: "Order {{{ORDER}}} is on its way" });
  await publishTemplate(ctx, shipped.id);
  await updateTemplate(ctx, shipped.id, { subject: "Order {{{ORDER}}}: it’s on its way" });
  return { shipped, draft };
}
