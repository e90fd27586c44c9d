import { expect, test } from '@playwright/test';

const headers = { 'X-Access-Token': 'token-of-the-tests' };

/** What is to be tested: a page that shows the titles of a blog. */
const app = `<!doctype html><title>App</title><ul></ul><script type="module">
  const answer = await fetch('/api/v1.2/blogs/1/articles');
  if (!answer.ok) document.body.append('Try again later.');
  else for (const { title } of (await answer.json())._embedded) {
    document.querySelector('ul').append(Object.assign(document.createElement('li'), { textContent: title }));
  }
</script>`;

test.beforeEach(async ({ page, request }) => {
  expect((await request.post('/control/reset', { headers })).status()).toBe(204);
  await page.route('/app', (route) => route.fulfill({ contentType: 'text/html', body: app }));
});

test('shows the titles', async ({ page, request }) => {
  await request.delete('/api/v1.2/blogs/1/articles/1', { headers });
  await page.goto('/app');
  await expect(page.getByRole('listitem')).toHaveText(['The line that divides']);
});

test('says when the blog fails', async ({ page, request }) => {
  const faults = { headers, data: ['GET status 503 once'] };
  expect((await request.put('/control/faults', faults)).status()).toBe(204);
  await page.goto('/app');
  await expect(page.getByText('Try again later.')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('listitem')).toHaveCount(2);
});
