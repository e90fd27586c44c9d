import { BlogctlError, createBlogClient } from 'blogctl';
import { startBlog } from 'blogctl/testing';
import { use } from './use.cjs';

await use({ BlogctlError, createBlogClient, startBlog });
