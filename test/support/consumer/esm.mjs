import assert from 'node:assert/strict';
import { BlogctlError, createBlogClient } from 'blogctl';
import { BlogctlError as OfTesting, startBlog } from 'blogctl/testing';
import { use } from './use.cjs';

assert.equal(OfTesting, BlogctlError);
await use({ BlogctlError, createBlogClient, startBlog });
