import { expect, test } from "./fixtures.ts";

// The browser reports each thing that it keeps the preview from doing.
test.use({ expectedComplaints: /Content Security Policy|sandboxed/ });

test("the preview runs nothing, loads nothing remote until asked, and leads nowhere", async ({
  page,
  signIn,
  sendEmail,
}) => {
  const me = await signIn();
  const asked: string[] = [];
  await page.route(/remote\.example/, (route) => {
    asked.push(route.request().url());
    return route.fulfill({ contentType: "image/png", body: "" });
  });
  const html = `<base href="http://remote.example/base/"><meta http-equiv="refresh" content="0;url=http://remote.example/refresh">
    <link rel="stylesheet" href="http://remote.example/style.css"><style>p { color: rgb(1, 2, 3) }</style>
    <p onclick="top.x = 1">Hello</p><script>top.location = "http://remote.example/script"</script>
    <img src="http://remote.example/open.gif" onerror="top.location = 'http://remote.example/error'">
    <iframe src="http://remote.example/frame"></iframe>
    <a href="http://remote.example/click" target="_self">Click</a>`;
  const id = await sendEmail(me, { subject: "Preview", html });
  await page.goto(`/console/emails/${id}`);

  const preview = page.frameLocator("iframe");
  await expect(preview.getByText("Hello")).toHaveCSS("color", "rgb(1, 2, 3)");
  await preview.getByText("Click").click();
  await expect(preview.getByText("Hello")).toBeVisible();
  expect(asked).toEqual([]);
  expect(page.context().pages()).toHaveLength(1);

  await page.getByRole("button", { name: "Load images" }).click();
  await expect.poll(() => asked).toEqual(["http://remote.example/open.gif"]);
});

/** One pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("images that an email brings along are in the preview; of one that is missing the place is kept", async ({
  page,
  signIn,
  sendEmail,
}) => {
  const me = await signIn();
  const html = `<p>Hello</p><img alt="Logo" src="cid:logo@shop"><img alt="Lost" src="cid:lost">`;
  const file = { filename: "logo.png", content: PNG, content_id: "logo@shop" };
  const id = await sendEmail(me, { subject: "Images", html, attachments: [file] });
  await page.goto(`/console/emails/${id}`);
  const preview = page.frameLocator("iframe");
  const logo = preview.getByRole("img", { name: "Logo" });
  await expect(logo).toHaveAttribute("src", `data:image/png;base64,${PNG}`);
  await expect(logo).toHaveJSProperty("naturalWidth", 1);
  await expect(preview.getByRole("img", { name: "Lost" })).toHaveAttribute("src", /^data:image/);
});
