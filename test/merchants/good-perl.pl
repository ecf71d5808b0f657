use FindBin;
require "$FindBin::Bin/shop.pl";

Shop->run;
