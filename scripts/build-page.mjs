// Set-up has built the page by now.
console.log('The page is in page/dist; `npm run server` and `npm start` show it.');
