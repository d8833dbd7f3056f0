// Set-up has built it by now.
console.log('The page is in page/dist; `npm run server` and `npm start` show it.');
